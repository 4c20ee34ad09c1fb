// The public settings of a bot's widget.
import type { operations } from '@roster/contract';
import type { Handler } from '../http/operation-types.ts';

export function widgetRoutes({ publicUrl }: { publicUrl: string }) {
  const retrieveWidget: Handler<(typeof operations)['retrieveWidget']> = ({ bot }) => {
    const { id, name, greeting, color, position } = bot;
    const widgetUrl = `${publicUrl}/widget.js?bot=${id}`;
    return { body: { data: { name, greeting, color, position, widgetUrl } } };
  };
  return { retrieveWidget };
}
