// Handlers of operations with a secret, which serve the operations that are derived from them for members too.

type AsMembers<Handlers> = { readonly [Name in keyof Handlers & string as `${Name}AsMember`]: Handlers[Name] };

export function forMembersToo<Handlers extends object>(handlers: Handlers): Handlers & AsMembers<Handlers> {
  const asMembers = Object.entries(handlers).map(([name, handler]) => [`${name}AsMember`, handler]);
  return { ...handlers, ...(Object.fromEntries(asMembers) as AsMembers<Handlers>) };
}
