// The button below a list that is loaded page by page; nothing on the last page.
import { Button } from '@mantine/core';
import classes from './more-button.module.css';

interface MoreButtonProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  label?: string;
}

export function MoreButton({ query, label = 'Load more' }: MoreButtonProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className={classes.more}>
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
