// The names of all settings: what the reader of the environment asks it for.
import { readConfig } from '../src/config/config.ts';

export function findSettingNames(): ReadonlySet<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, undefined>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(environment, '/');
  return names;
}
