// Builds the guide. Apart from what a server needs of a build, so that no release contains a parser of Markdown.
import { guideBuilds } from './build-folder.ts';

export function buildGuide(): Promise<{ version: string; isNew: boolean }> {
  return guideBuilds.build(async (folder) => {
    const { writeGuide } = await import('./write-guide.ts');
    await writeGuide(folder);
  });
}
