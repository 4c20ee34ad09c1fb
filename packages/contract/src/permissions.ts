// What a secret may do: its permissions, and the bots that it reaches.
import * as z from 'zod';
import { list } from './bounded.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { defaultPermissions, permissionNames } from './names.ts';

/** What a 403 calls it when a secret is limited to some bots. */
export const allBots = 'all_bots';

const permissionSchema = z.enum(permissionNames, { error: `must be one of ${permissionNames.join(', ')}` });
const botIdSchema = z.string().regex(idKinds.bot.pattern);

const noBotId = { error: 'is not the id of a bot' };
const botsDescription = 'Ids of the bots it can access; null for all bots, including future ones.';

/** What a secret may do, as its creator says it. */
export const secretScopeInput = {
  permissions: list(permissionSchema, {
    max: 100,
    error: 'must be a list of permissions',
    tooLong: 'must be at most 100 permissions',
    empty: 'must name at least one permission',
  })
    .transform((given) => permissionNames.filter((name) => given.includes(name)))
    .optional()
    .meta({ description: `Cannot be changed later. Default: ${defaultPermissions.join(', ')}.` }),
  bots: list(z.string(noBotId).regex(idKinds.bot.pattern, noBotId), {
    max: limits.botsPerSecret,
    error: 'must be a list of ids, or null for all bots',
    tooLong: `must be at most ${limits.botsPerSecret} bots`,
    empty: 'must name at least one bot',
  })
    .transform((ids) => [...new Set(ids)])
    .nullish()
    .transform((ids) => ids ?? undefined)
    .meta({ description: `${botsDescription} Cannot be changed later.` }),
};

/** The same, as answers carry it. */
export const secretScope = {
  permissions: z.array(permissionSchema).meta({ description: 'What the secret can do.' }),
  bots: z
    .array(botIdSchema)
    .nullable()
    .meta({ description: `${botsDescription} A deleted bot stays in the list.` }),
};
