// The widget as visitors see it: the real script, in a page of its own that can reach nothing of the console.
import { useMemo } from 'react';
import { serviceUrl } from '../api/connection.ts';
import { Panel } from '../components/page.tsx';
import classes from './widget-preview.module.css';

interface WidgetPreviewProps {
  botId: string;
  /** As they are in the form, saved or not. */
  settings: { name: string; greeting: string; color: string; position: string };
}

export function WidgetPreview({ botId, settings }: WidgetPreviewProps) {
  const { name, greeting, color, position } = settings;
  // In the fragment: the frame is another origin, so that there is nothing but its address to tell it by.
  const address = useMemo(() => {
    const shown = JSON.stringify({ botId, name, greeting, color, position });
    return `${serviceUrl}/console/preview#${encodeURIComponent(shown)}`;
  }, [botId, name, greeting, color, position]);
  return (
    <Panel title="Preview" lead="Follows the form. Visitors see what was saved.">
      <iframe
        // A new frame for each: another fragment alone would not load it again.
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
