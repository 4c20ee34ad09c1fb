// The OpenAPI document, and a validator of JSON Schema for its parts.
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { buildOpenApi } from '../src/openapi.ts';
import type { Json } from '../src/openapi-schemas.ts';
import { mediaTypes, type Operation, portCredentials } from '../src/operation.ts';
import { operationsFor } from '../src/operations.ts';

export const document = buildOpenApi({ version: '1.2.3', serverUrl: 'https://roster.test' });
export const all: readonly Operation[] = operationsFor(portCredentials).map(([, operation]) => operation);

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi.json');

/** The keys that lead to a part of the document. */
export type Path = readonly (string | number)[];

/** What is at the path of keys in the document. */
export function at(keys: Path): unknown {
  return keys.reduce<unknown>((value, key) => (value as Json)?.[key], document);
}

export function validatorAt(keys: Path): ValidateFunction {
  assert.ok(at(keys), keys.join(' '));
  const pointer = keys.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')));
  return ajv.compile({ $ref: `openapi.json#/${pointer.join('/')}` });
}

export const pathTo = ({ path, method }: Operation) => ['paths', path, method.toLowerCase()];
export const answerPath = (operation: Operation) => [
  ...pathTo(operation),
  ...['responses', operation.answer.status, 'content', 'application/json', 'schema'],
];
export const bodyPath = (operation: Operation) => [
  ...pathTo(operation),
  'requestBody',
  'content',
  mediaTypes.json,
  'schema',
];
