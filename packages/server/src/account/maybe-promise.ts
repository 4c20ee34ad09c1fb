// Values that are mostly there at once. Every request passes the tenant cache twice. With promises there a read of one
// contact takes 5 to 9% more CPU; everywhere else on its way they make no difference that can be measured.

export type MaybePromise<Value> = Value | Promise<Value>;

/** Like `Promise.then`, but without a promise when the value is there. */
export function chain<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
