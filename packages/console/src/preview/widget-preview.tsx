// A preview of the widget: the real script, in a sandboxed frame without access to the console.
import { SegmentedControl } from '@mantine/core';
import type { WidgetSettings } from '@roster/contract';
import { useEffect, useRef, useState } from 'react';
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
  const [visitor, setVisitor] = useState('guest');
  const [scheme, setScheme] = useState('light');
  // The settings are passed in the fragment, so that the frame, which has an opaque origin, needs no messages.
  const shown = JSON.stringify({ botId, name, greeting, color, position, channels, greetings, visitor, scheme });
  const address = `${serviceUrl}/console/preview#${encodeURIComponent(shown)}`;
  const [firstAddress] = useState(address);
  const frame = useRef<HTMLIFrameElement>(null);
  const lastAddress = useRef(firstAddress);
  useEffect(() => {
    if (address === lastAddress.current) return;
    lastAddress.current = address;
    // Another fragment loads nothing, and replacing it leaves no entry in the history.
    frame.current?.contentWindow?.location.replace(address);
  }, [address]);
  return (
    <Panel title="Preview" lead="Updates as you type. Visitors see changes once you save.">
      <div className={classes.choices}>
        <SegmentedControl
          size="xs"
          aria-label="Visitor"
          data={[
            { value: 'guest', label: 'Guest' },
            { value: 'contact', label: 'Contact' },
          ]}
          value={visitor}
          onChange={setVisitor}
        />
        <SegmentedControl
          size="xs"
          aria-label="Appearance"
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={scheme}
          onChange={setScheme}
        />
      </div>
      <iframe
        ref={frame}
        className={classes.frame}
        title="Preview of the widget"
        src={firstAddress}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
      />
    </Panel>
  );
}
