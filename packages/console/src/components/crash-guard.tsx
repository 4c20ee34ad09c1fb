// What is shown when a page cannot: a file that another version of the server no longer has, or a fault of ours.
import { Button, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Gate } from './gate.tsx';

export class CrashGuard extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <Gate title="This page did not load">
        <Text mt="sm" mb="lg" c="dimmed">
          The server may have been updated, or cannot be reached. Nothing that was saved is lost.
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Gate>
    );
  }
}
