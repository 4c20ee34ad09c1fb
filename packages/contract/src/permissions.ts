// What a secret may do: its permissions, and the bots that it reaches.
import * as z from 'zod';
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
  permissions: z
    .array(permissionSchema, { error: 'must be a list of permissions' })
    .min(1, { error: 'must name at least one permission' })
    .max(100, { error: 'must be at most 100 permissions' })
    .transform((given) => permissionNames.filter((name) => given.includes(name)))
    .optional()
    .meta({ description: `Cannot be changed later. Default: ${defaultPermissions.join(', ')}.` }),
  bots: z
    .array(z.string(noBotId).regex(idKinds.bot.pattern, noBotId), {
      error: 'must be a list of ids, or null for all bots',
    })
    .min(1, { error: 'must name at least one bot' })
    .max(limits.botsPerSecret, { error: `must be at most ${limits.botsPerSecret} bots` })
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
