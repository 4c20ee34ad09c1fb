// What the server serves of the console, the guide and the widget: of a clone's build, which has to be one of the present sources,
// or of the release. The same for all callers in the process.
import { type ConsoleFiles, loadConsoleBuild, readConsole } from '@roster/console/files';
import { GuideFiles, loadGuideBuild } from '@roster/guide/files';
import { describeScript, loadWidgetBuild, type WidgetScript } from '@roster/widget/script';
import { releaseFolder } from './release-files.ts';

let consoleFiles: ConsoleFiles | undefined;
let guideFiles: GuideFiles | undefined;
let widgetScript: WidgetScript | undefined;

export function loadConsole(): ConsoleFiles {
  const released = releaseFolder('console');
  consoleFiles ??= released === undefined ? loadConsoleBuild() : readConsole(released);
  return consoleFiles;
}

export function loadGuide(): GuideFiles {
  const released = releaseFolder('guide');
  guideFiles ??= released === undefined ? loadGuideBuild() : new GuideFiles(released);
  return guideFiles;
}

export function loadWidgetScript(): WidgetScript {
  const released = releaseFolder('widget');
  widgetScript ??= describeScript(released === undefined ? loadWidgetBuild() : released.read('widget.js'));
  return widgetScript;
}
