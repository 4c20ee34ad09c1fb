// A preview of the widget: the real script, in a sandboxed frame without access to the console.
import type { WidgetSettings } from '@roster/contract';
import { serviceUrl } from '../api/connection.ts';
import { Panel } from '../components/page.tsx';
import classes from './widget-preview.module.css';

interface WidgetPreviewProps {
  botId: string;
  /** The current values of the form, saved or not. */
  settings: Omit<WidgetSettings, 'widgetUrl' | 'position'> & { position: string };
}

export function WidgetPreview({ botId, settings }: WidgetPreviewProps) {
  const { name, greeting, color, position, channels, greetings } = settings;
  // The settings are passed in the fragment, so that the frame, which has an opaque origin, needs no messages.
  const shown = JSON.stringify({ botId, name, greeting, color, position, channels, greetings });
  const address = `${serviceUrl}/console/preview#${encodeURIComponent(shown)}`;
  return (
    <Panel title="Preview" lead="Updates as you type. Visitors see changes once you save.">
      <iframe
        // A new frame for each URL, because a changed fragment alone does not reload a frame.
        key={address}
        className={classes.frame}
        title="Preview of the widget"
        src={address}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
      />
    </Panel>
  );
}
