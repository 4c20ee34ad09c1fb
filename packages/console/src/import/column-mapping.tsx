// Maps columns to fields, attributes and tags, with a few sample values of each column.
import { NativeSelect, Table } from '@mantine/core';
import { type AttributeDefinition, attributeTitle, excerpt, type NewAttributes } from '@roster/contact-files';
import { typeLabels } from '../attributes/attribute-form.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { type Choices, choose, fieldLabels, newAttribute, skipped } from './column-choices.ts';
import classes from './import.module.css';

interface ColumnMappingProps {
  header: readonly string[];
  /** Sample values from the first rows, by column. */
  samples: readonly (readonly string[])[];
  choices: Choices;
  definitions: readonly AttributeDefinition[];
  /** Undefined while the types of new attributes are not known. */
  created: NewAttributes | undefined;
  onChange(choices: Choices): void;
}

export function ColumnMapping(props: ColumnMappingProps) {
  const { header, samples, choices, definitions, created, onChange } = props;
  const options = [
    { value: skipped, label: 'Skip' },
    ...Object.entries(fieldLabels).map(([value, label]) => ({ value, label })),
    { value: 'tags', label: 'Tags' },
    ...(definitions.length > 0
      ? [
          {
            group: 'Attributes',
            items: definitions.map(({ key, label }) => ({ value: attributeTitle(key), label })),
          },
        ]
      : []),
    { value: newAttribute, label: 'New attribute' },
  ];
  return (
    <TableScroll label="Columns of the file">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Column</Table.Th>
          <Table.Th>First values</Table.Th>
          <Table.Th>Maps to</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {header.map((title, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position; titles may repeat.
          <Table.Tr key={column}>
            <Table.Td className={classes.column ?? ''}>{nameOf(title, column)}</Table.Td>
            <Table.Td className={classes.samples ?? ''}>
              {samples[column]
                ?.filter((value) => value !== '')
                .map(excerpt)
                .join(' · ')}
            </Table.Td>
            <Table.Td>
              <NativeSelect
                size="xs"
                aria-label={`Field for ${nameOf(title, column)}`}
                data={options}
                value={choices[column] ?? skipped}
                onChange={(event) => onChange(choose(choices, column, event.currentTarget.value))}
              />
              {choices[column] === newAttribute && (
                <div className={classes.created} role="status">
                  {describeCreated(created, column)}
                </div>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}

/** "Company size (company_size), a number" */
function describeCreated(created: NewAttributes | undefined, column: number): string {
  if (created === undefined) return 'Reading the values…';
  const at = created.columns.findIndex(({ columns }) => columns.includes(column));
  const definition = created.definitions[at];
  if (definition === undefined) return 'No values: no attribute is created.';
  const { label, key, type } = definition;
  return `${excerpt(label)} (${key}): ${typeLabels[type].toLowerCase()}`;
}

function nameOf(title: string, column: number): string {
  return title === '' ? `Column ${column + 1}` : excerpt(title);
}
