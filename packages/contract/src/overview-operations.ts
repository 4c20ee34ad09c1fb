// The operations behind the console's home: how the bots are used.
import { one } from './envelopes.ts';
import type { Operation } from './operation.ts';
import { botOverviewSchema, overviewSchema } from './overview.ts';

export const overviewOperations = {
  retrieveOverview: {
    id: 'account.overview.retrieve',
    method: 'GET',
    path: '/v1/account/overview',
    credentials: ['session'],
    summary: 'Retrieve an overview of all bots',
    description: 'How contacts grew, how many visitors were recognized, and when each bot was first used.',
    answer: { status: 200, description: 'The overview.', schema: one(overviewSchema) },
  },
  retrieveBotOverview: {
    id: 'account.bots.overview',
    method: 'GET',
    path: '/v1/account/bots/{botId}/overview',
    credentials: ['session'],
    summary: 'Retrieve an overview of a bot',
    description: 'How its contacts grew, and which visitors were recognized lately.',
    answer: { status: 200, description: 'The overview.', schema: one(botOverviewSchema) },
  },
} as const satisfies Record<string, Operation>;
