// Loaded before whatever checks contacts by their schemas: the schema library would try to compile code as soon as a
// schema is made, which the content security policy forbids and reports.
import { config } from 'zod/v4/core';

config({ jitless: true });
