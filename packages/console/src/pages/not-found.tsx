// A place that the console does not have.
import { Anchor } from '@mantine/core';
import { Page } from '../components/page.tsx';

export default function NotFoundPage() {
  return (
    <Page title="There is nothing here" lead="The address may be mistyped, or what was here is gone.">
      <Anchor href="#/">All bots</Anchor>
    </Page>
  );
}
