// How SQLite's rows differ from the port's types.

/** SQL's null where the port has undefined. */
export type Nullable<T> = { [Key in keyof T]: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key] };
