// Shown for a route that does not exist.
import { Anchor } from '@mantine/core';
import { Page } from '../components/page.tsx';

export default function NotFoundPage() {
  return (
    <Page title="Page not found" lead="Check the address. The page may have been removed.">
      <Anchor href="#/">Go to the home page</Anchor>
    </Page>
  );
}
