// The dialogs of the list of contacts. They are loaded when the first one opens.
import type { Attribute, Segment, Tag } from '@roster/client';
import type { Contacts } from '@roster/client/parts';
import type { AccountBot } from '@roster/contract';
import { SegmentForm } from '../attributes/segment-form.tsx';
import type { Chosen } from './bulk.ts';
import { BulkAct } from './bulk-actions.tsx';
import type { BulkKind } from './bulk-bar.tsx';
import { ContactForm } from './contact-form.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { isNarrowed, type ListState } from './list-state.ts';
import { SaveSegment } from './save-segment.tsx';

/** The action whose dialog is open, with the contacts that it is about: the selection may change behind it. */
export type DialogShown =
  | { kind: 'create' | 'save segment' }
  | { kind: 'edit segment'; segment: Segment }
  | { kind: BulkKind; chosen: Chosen };

interface ListDialogProps {
  bot: AccountBot | undefined;
  botId: string;
  contacts: Contacts;
  dialog: DialogShown;
  list: ListState;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  segments: readonly Segment[];
  /** `isDone`: the selected contacts were acted on. */
  onClose(isDone: boolean): void;
}

export default function ListDialog(props: ListDialogProps) {
  const { bot, botId, contacts, dialog, list, attributes, tags, segments, onClose } = props;
  const close = () => onClose(false);
  switch (dialog.kind) {
    case 'create':
      return <ContactForm botId={botId} attributes={attributes} onClose={close} />;
    case 'save segment':
      return (
        <SaveSegment
          botId={botId}
          list={list}
          attributes={attributes}
          taken={segments.map(({ key }) => key)}
          onClose={close}
        />
      );
    case 'edit segment':
      return <SegmentForm botId={botId} segment={dialog.segment} attributes={attributes} tags={tags} onClose={close} />;
    case 'export':
      return (
        <ExportDialog
          bot={bot}
          contacts={contacts}
          chosen={dialog.chosen}
          isAll={'search' in dialog.chosen && !isNarrowed(list)}
          hasTags={tags.length > 0}
          attributes={attributes}
          onClose={close}
        />
      );
    default:
      return (
        <BulkAct
          kind={dialog.kind}
          chosen={dialog.chosen}
          botId={botId}
          contacts={contacts}
          tags={tags}
          attributes={attributes}
          onClose={onClose}
        />
      );
  }
}
