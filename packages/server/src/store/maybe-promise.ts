// Values that are mostly there at once. Every request passes the tenant cache, and a promise for each look into
// it would cost as much as the look.

export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on with the value, at once when it is there. */
export function andThen<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
