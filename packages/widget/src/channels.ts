// The buttons of the panel: links by which a visitor gets in touch. Addresses are built here by type, and a `link` is
// opened over https alone: whatever the settings say, no other scheme and no script gets into the page.
import type { Channel, ChannelType } from '@roster/contract';
import { element, icon } from './elements.ts';
import type { Language } from './languages.ts';

const drawings: Record<ChannelType, string> = {
  whatsapp:
    'M4 20l1.4-4.2a8 8 0 1 1 3 2.9zM9 8.5c-.3 3.7 2.8 6.8 6.5 6.5l.5-1.5-2-1-.9.8a4.5 4.5 0 0 1-2.4-2.4l.8-.9-1-2z',
  messenger:
    'M12 4c-4.9 0-8.5 3.3-8.5 7.5 0 2.3 1 4.2 2.7 5.6V20l2.6-1.4c1 .3 2 .4 3.2.4 4.9 0 8.5-3.3 8.5-7.5S16.9 4 12 4zM8 13.5l2.8-3 2.4 2 2.8-3',
  email: 'M5 6h14a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1zM4 7.5l8 6 8-6',
  phone:
    'M6.5 4h2.7l1.5 4-2 1.5a11 11 0 0 0 5.8 5.8l1.5-2 4 1.5v2.7a2 2 0 0 1-2 2A15.5 15.5 0 0 1 4.5 6a2 2 0 0 1 2-2z',
  link: 'M14 5h5v5M19 5l-8 8M10 6H6a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-4',
};

export interface ChannelButton {
  link: HTMLAnchorElement;
  /** Undefined: this channel takes no text. */
  prefill?(text: string): void;
}

/** Undefined for a channel that cannot be made into a link, or that this version of the script does not know. */
export function channelButton({ type, value, label }: Channel, texts: Language): ChannelButton | undefined {
  const href = hrefOf(type, value, '');
  if (href === undefined) return undefined;
  const names = { whatsapp: 'WhatsApp', messenger: 'Messenger', email: texts.email, phone: texts.phone, link: '' };
  // A number or an email is shown too, because not every browser can open it.
  const isShown = type === 'email' || type === 'phone';
  const link = element('a', { href }, [
    icon(drawings[type]),
    element('span', { class: 'lines' }, [
      element('bdi', {}, [label || names[type] || new URL(href).hostname]),
      ...(isShown ? [element('small', { dir: 'ltr' }, [value])] : []),
    ]),
  ]);
  if (href.startsWith('https:')) {
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
  }
  if (type !== 'whatsapp' && type !== 'email') return { link };
  return { link, prefill: (text) => link.setAttribute('href', hrefOf(type, value, text) ?? href) };
}

function hrefOf(type: ChannelType, value: string, text: string): string | undefined {
  try {
    // Half of a surrogate pair cannot be encoded.
    const said = encodeURIComponent(text.replace(/\p{Cs}/gu, ''));
    switch (type) {
      case 'whatsapp':
        return `https://wa.me/${value.replace(/\D/g, '')}${said && `?text=${said}`}`;
      case 'messenger':
        return `https://m.me/${encodeURIComponent(value)}`;
      case 'email':
        return `mailto:${encodeURIComponent(value).replace('%40', '@')}${said && `?body=${said}`}`;
      case 'phone':
        return `tel:${value.replace(/[^\d+]/g, '')}`;
      case 'link': {
        const { protocol, href } = new URL(value);
        return protocol === 'https:' ? href : undefined;
      }
    }
  } catch {
    // Not an address, or not even text.
  }
  return undefined;
}
