// The pagination control, with the window of page numbers that the API returns.
import { ActionIcon, NativeSelect } from '@mantine/core';
import type { Pagination } from '@roster/client';
import { Icon, type IconName } from '../components/icons.tsx';
import { count, counted } from '../components/moment.tsx';
import { pageSizes } from './list-state.ts';
import classes from './pager.module.css';

interface PagerProps {
  pagination: Pagination;
  /** Contacts on this page. */
  shown: number;
  onMove(to: { page?: number; limit?: number }): void;
}

export function Pager({ pagination, shown, onMove }: PagerProps) {
  const { total, page, limit, totalPages, startIndex, endIndex, pages } = pagination;
  return (
    <div className={classes.pager}>
      <span className={classes.range}>
        {shown === 0 ? counted(total, 'contact') : `${count(startIndex + 1)}–${count(endIndex + 1)} of ${count(total)}`}
      </span>
      <NativeSelect
        aria-label="Contacts per page"
        size="xs"
        data={pageSizes.map((size) => ({ value: String(size), label: `${size} per page` }))}
        value={String(limit)}
        onChange={(event) => onMove({ limit: Number(event.currentTarget.value), page: 1 })}
      />
      {totalPages > 1 && (
        <nav className={classes.pages} aria-label="Pages">
          <Step label="First page" icon="first" to={1} {...{ page, totalPages, onMove }} />
          <Step label="Previous page" icon="left" to={page - 1} {...{ page, totalPages, onMove }} />
          {pages.map((number) => (
            <button
              key={number}
              type="button"
              className={classes.page}
              aria-label={`Page ${number}`}
              aria-current={number === page ? 'page' : undefined}
              onClick={() => onMove({ page: number })}
            >
              {count(number)}
            </button>
          ))}
          <Step label="Next page" icon="right" to={page + 1} {...{ page, totalPages, onMove }} />
          <Step label="Last page" icon="last" to={totalPages} {...{ page, totalPages, onMove }} />
        </nav>
      )}
    </div>
  );
}

interface StepProps extends Pick<PagerProps, 'onMove'>, Pick<Pagination, 'page' | 'totalPages'> {
  label: string;
  icon: IconName;
  to: number;
}

function Step({ label, icon, to, page, totalPages, onMove }: StepProps) {
  const isPage = to >= 1 && to <= totalPages && to !== page;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      disabled={!isPage}
      onClick={() => onMove({ page: to })}
    >
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}
