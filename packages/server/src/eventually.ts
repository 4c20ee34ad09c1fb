// Values that are mostly there at once. Every request passes the directory's cache, and a promise for each look into
// it would cost as much as the look.

export type Eventually<Value> = Value | Promise<Value>;

/** Goes on with the value, at once when it is there. */
export function andThen<Value, Result>(
  value: Eventually<Value>,
  next: (value: Value) => Eventually<Result>,
): Eventually<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
