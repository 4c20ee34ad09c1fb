// Shown when a page fails to render: its script is gone after an update of the server, or it has a bug.
import { Button, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { SignedOutLayout } from './signed-out-layout.tsx';

export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <SignedOutLayout title="This page didn’t load">
        <Text mt="sm" mb="lg" c="dimmed">
          The server may have been updated, or can’t be reached. Saved changes aren’t lost.
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </SignedOutLayout>
    );
  }
}
