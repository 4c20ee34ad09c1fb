// The forms that bodies and answers of operations share.
import * as z from 'zod';

export const one = <Schema extends z.ZodType>(schema: Schema) => z.strictObject({ data: schema });
export const many = <Schema extends z.ZodType>(schema: Schema) => z.strictObject({ data: z.array(schema) });
export const json = <Schema extends z.ZodType>(schema: Schema) => ({ schema, media: ['json'] }) as const;
