// What the server serves of the console and the widget: of a clone's build, which has to be one of the present sources,
// or of the release. The same for all callers in the process.
import { type ConsoleFiles, loadConsoleBuild, readConsole } from '@roster/console/files';
import { describeScript, loadWidgetBuild, type WidgetScript } from '@roster/widget/script';
import { releaseFolder } from './release-files.ts';

let consoleFiles: ConsoleFiles | undefined;
let widgetScript: WidgetScript | undefined;

export function loadConsole(): ConsoleFiles {
  const released = releaseFolder('console');
  consoleFiles ??= released === undefined ? loadConsoleBuild() : readConsole(released);
  return consoleFiles;
}

export function loadWidgetScript(): WidgetScript {
  const released = releaseFolder('widget');
  widgetScript ??= describeScript(released === undefined ? loadWidgetBuild() : released.read('widget.js'));
  return widgetScript;
}
