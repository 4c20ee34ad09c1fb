// Maps columns to fields, with a few sample values of each column.
import { NativeSelect, Table } from '@mantine/core';
import { excerpt, type Field, type Mapping } from '@roster/contact-files';
import { TableScroll } from '../components/table-scroll.tsx';
import classes from './import.module.css';

export const fieldLabels: Record<Field, string> = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  wid: 'WhatsApp',
  mid: 'Messenger ID',
};

const choices = [
  { value: '', label: 'Skip' },
  ...Object.entries(fieldLabels).map(([value, label]) => ({ value, label })),
];

interface ColumnMappingProps {
  header: readonly string[];
  /** Sample values from the first rows, by column. */
  samples: readonly (readonly string[])[];
  mapping: Mapping;
  isDisabled: boolean;
  onChange(mapping: Mapping): void;
}

export function ColumnMapping({ header, samples, mapping, isDisabled, onChange }: ColumnMappingProps) {
  const fieldOf = (column: number) =>
    (Object.keys(mapping) as Field[]).find((field) => mapping[field].includes(column)) ?? '';
  const assign = (column: number, field: Field | '') => {
    const without = Object.fromEntries(
      Object.entries(mapping).map(([each, columns]) => [each, columns.filter((at) => at !== column)]),
    ) as Mapping;
    // A name may come from two columns, first and last name; any other field has one.
    if (field !== '') without[field] = field === 'name' ? [...without.name, column] : [column];
    onChange(without);
  };
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
                data={choices}
                value={fieldOf(column)}
                disabled={isDisabled}
                onChange={(event) => assign(column, event.currentTarget.value as Field | '')}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableScroll>
  );
}

function nameOf(title: string, column: number): string {
  return title === '' ? `Column ${column + 1}` : excerpt(title);
}
