// What contacts of a bot can be described and found by: its attributes, tags and segments.
import { Anchor, Button, Table, VisuallyHidden } from '@mantine/core';
import type { Attribute, Segment, Tag } from '@roster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { attributesQuery, keys, segmentsQuery, segmentTotalQuery, tagsQuery } from '../api/queries.ts';
import { AttributeForm, typeLabels } from '../attributes/attribute-form.tsx';
import { describeMissing, missingAttributes } from '../attributes/missing-attributes.ts';
import { RowMenu } from '../attributes/row-menu.tsx';
import { SegmentForm } from '../attributes/segment-form.tsx';
import { TagForm } from '../attributes/tag-form.tsx';
import { Confirm } from '../components/confirm.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Icon } from '../components/icons.tsx';
import { Loaded } from '../components/loaded.tsx';
import { count, counted } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { Page, Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { listLink } from '../contacts/list-state.ts';
import { useKept } from '../kept-state.ts';
import { useSignedIn } from '../session.tsx';
import classes from './attributes.module.css';

type DialogShown =
  | { kind: 'new attribute' }
  | { kind: 'edit attribute' | 'delete attribute'; attribute: Attribute }
  | { kind: 'rename tag' | 'delete tag'; tag: Tag }
  | { kind: 'edit segment' | 'delete segment'; segment: Segment };

export default function AttributesPage({ botId }: { botId: string }) {
  const { connection, canWrite } = useSignedIn();
  const attributes = useQuery(attributesQuery(connection, botId));
  const tags = useQuery(tagsQuery(connection, botId));
  const segments = useQuery(segmentsQuery(connection, botId));
  const [dialog, setDialog] = useKept<DialogShown | undefined>('dialog', undefined);
  const create = canWrite && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'new attribute' })}>
      New attribute
    </Button>
  );
  return (
    <Page
      title="Attributes and tags"
      lead="Extra fields to search and segment by."
      actions={attributes.data?.length !== 0 && create}
    >
      <Panel title="Attributes" isFlush>
        <Loaded query={attributes}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="columns" title="No attributes yet">
                <p>An attribute has a type and a value for each contact: a plan, a company, a renewal date.</p>
                {create}
              </EmptyState>
            ) : (
              <TableScroll label="Table of attributes">
                <Head titles={['Name', 'Key', 'Type', 'Contacts']} hasActions={canWrite} />
                <Table.Tbody>
                  {all.map((attribute) => (
                    <Table.Tr key={attribute.key}>
                      <Table.Td>
                        {attribute.label}
                        {attribute.description && <div className={classes.small}>{attribute.description}</div>}
                      </Table.Td>
                      <Table.Td data-label="Key">
                        <code>{attribute.key}</code>
                      </Table.Td>
                      <Table.Td data-label="Type">
                        {typeLabels[attribute.type]}
                        {attribute.choices && <div className={classes.small}>{attribute.choices.join(', ')}</div>}
                      </Table.Td>
                      <Table.Td data-label="Contacts" data-number>
                        <Anchor
                          size="sm"
                          href={listLink(
                            botId,
                            new URLSearchParams([[`attributes[${attribute.key}][exists]`, 'true']]),
                          )}
                        >
                          {count(attribute.contactCount)}
                        </Anchor>
                      </Table.Td>
                      {canWrite && (
                        <RowMenu
                          name={attribute.label}
                          change={{ label: 'Edit…', onChoose: () => setDialog({ kind: 'edit attribute', attribute }) }}
                          onDelete={() => setDialog({ kind: 'delete attribute', attribute })}
                        />
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </TableScroll>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Tags" isFlush>
        <Loaded query={tags}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="tag" title="No tags yet">
                <p>Add a tag to contacts from their list, on a contact’s page, or in an import.</p>
              </EmptyState>
            ) : (
              <TableScroll label="Table of tags">
                <Head titles={['Name', 'Contacts']} hasActions={canWrite} />
                <Table.Tbody>
                  {all.map((tag) => (
                    <Table.Tr key={tag.name}>
                      <Table.Td>{tag.name}</Table.Td>
                      <Table.Td data-label="Contacts" data-number>
                        <Anchor size="sm" href={listLink(botId, new URLSearchParams({ tag: tag.name }))}>
                          {count(tag.contactCount)}
                        </Anchor>
                      </Table.Td>
                      {canWrite && (
                        <RowMenu
                          name={tag.name}
                          change={{ label: 'Rename…', onChoose: () => setDialog({ kind: 'rename tag', tag }) }}
                          onDelete={() => setDialog({ kind: 'delete tag', tag })}
                        />
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </TableScroll>
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Segments" isFlush>
        <Loaded query={segments}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="filter" title="No segments yet">
                <p>Filter the list of contacts, then save the filters as a segment.</p>
              </EmptyState>
            ) : (
              <TableScroll label="Table of segments">
                <Head titles={['Name', 'Key', 'Contacts']} hasActions={canWrite} />
                <Table.Tbody>
                  {all.map((segment) => (
                    <Table.Tr key={segment.key}>
                      <Table.Td>{segment.label}</Table.Td>
                      <Table.Td data-label="Key">
                        <code>{segment.key}</code>
                      </Table.Td>
                      <Table.Td
                        data-label="Contacts"
                        data-number={missingAttributes(segment, attributes.data).length === 0 || undefined}
                      >
                        <SegmentTotal
                          botId={botId}
                          segment={segment}
                          missing={missingAttributes(segment, attributes.data)}
                          onEdit={canWrite ? () => setDialog({ kind: 'edit segment', segment }) : undefined}
                        />
                      </Table.Td>
                      {canWrite && (
                        <RowMenu
                          name={segment.label}
                          change={{ label: 'Edit…', onChoose: () => setDialog({ kind: 'edit segment', segment }) }}
                          onDelete={() => setDialog({ kind: 'delete segment', segment })}
                        />
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </TableScroll>
            )
          }
        </Loaded>
      </Panel>
      {dialog && (
        <AttributesDialog
          botId={botId}
          dialog={dialog}
          attributes={attributes.data ?? []}
          tags={tags.data ?? []}
          segments={segments.data ?? []}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}

function Head({ titles, hasActions }: { titles: readonly string[]; hasActions: boolean }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {titles.map((title) => (
          <Table.Th key={title} data-number={title === 'Contacts' || undefined}>
            {title}
          </Table.Th>
        ))}
        {hasActions && (
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  );
}

interface SegmentTotalProps {
  botId: string;
  segment: Segment;
  missing: readonly string[];
  /** Left out: the member may not. */
  onEdit: (() => void) | undefined;
}

function SegmentTotal({ botId, segment, missing, onEdit }: SegmentTotalProps) {
  const { connection } = useSignedIn();
  const { data: total, isError } = useQuery({
    ...segmentTotalQuery(connection, botId, segment.key),
    enabled: missing.length === 0,
  });
  if (missing.length > 0) {
    return (
      <>
        {describeMissing(missing)}{' '}
        {onEdit && (
          <Anchor component="button" size="sm" onClick={onEdit}>
            Edit segment
          </Anchor>
        )}
      </>
    );
  }
  return (
    <Anchor size="sm" href={listLink(botId, new URLSearchParams({ segment: segment.key }))}>
      {isError ? 'Show' : total === undefined ? '…' : count(total)}
    </Anchor>
  );
}

interface AttributesDialogProps {
  botId: string;
  dialog: DialogShown;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  segments: readonly Segment[];
  onClose(): void;
}

function AttributesDialog({ botId, dialog, attributes, tags, segments, onClose }: AttributesDialogProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const deleted = (name: string) => {
    onClose();
    for (const queryKey of [
      keys.attributes(botId),
      keys.tags(botId),
      keys.segments(botId),
      keys.contacts(botId),
      keys.contact(botId),
    ]) {
      queries.invalidateQueries({ queryKey });
    }
    notify(`${name} was deleted.`);
  };
  switch (dialog.kind) {
    case 'new attribute':
      return <AttributeForm botId={botId} others={attributes} onClose={onClose} />;
    case 'edit attribute':
      return <AttributeForm botId={botId} attribute={dialog.attribute} others={attributes} onClose={onClose} />;
    case 'delete attribute': {
      const { key, label, contactCount } = dialog.attribute;
      const users = segments.filter(({ filter }) => filter.attributes?.[key] !== undefined);
      return (
        <Confirm
          title={`Delete ${label}?`}
          confirmLabel="Delete attribute"
          onClose={onClose}
          onConfirm={() => connection.attributesOf(botId).delete(key)}
          onDone={() => deleted(label)}
        >
          <p>
            Its values are deleted too: {counted(contactCount, 'contact')} {contactCount === 1 ? 'has' : 'have'} one.
            This can’t be undone.
          </p>
          {users.length > 0 && (
            <p>
              {counted(users.length, 'segment uses', 'segments use')} it and will find no contacts until you edit{' '}
              {users.length === 1 ? 'it' : 'them'}: {users.map((each) => each.label).join(', ')}.
            </p>
          )}
        </Confirm>
      );
    }
    case 'rename tag':
      return <TagForm botId={botId} tag={dialog.tag} onClose={onClose} />;
    case 'delete tag': {
      const { name, contactCount } = dialog.tag;
      return (
        <Confirm
          title={`Delete ${name}?`}
          confirmLabel="Delete tag"
          onClose={onClose}
          onConfirm={() => connection.tagsOf(botId).delete(name)}
          onDone={() => deleted(name)}
        >
          <p>It is removed from {counted(contactCount, 'contact')}. This can’t be undone.</p>
        </Confirm>
      );
    }
    case 'edit segment':
      return (
        <SegmentForm botId={botId} segment={dialog.segment} attributes={attributes} tags={tags} onClose={onClose} />
      );
    default: {
      const { key, label } = dialog.segment;
      return (
        <Confirm
          title={`Delete ${label}?`}
          confirmLabel="Delete segment"
          onClose={onClose}
          onConfirm={() => connection.segmentsOf(botId).delete(key)}
          onDone={() => deleted(label)}
        >
          <p>Its contacts stay.</p>
        </Confirm>
      );
    }
  }
}
