// Shown for a route that does not exist.
import { Anchor } from '@mantine/core';
import { Page } from '../components/page.tsx';

export default function NotFoundPage() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or what was here is gone.">
      <Anchor href="#/">All bots</Anchor>
    </Page>
  );
}
