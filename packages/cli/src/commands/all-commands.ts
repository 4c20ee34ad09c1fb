// Every command, in the order in which the help lists them.
import type { Commands } from '../program.ts';
import { contactCommands } from './contact-commands.ts';
import { operatorCommands } from './operator-commands.ts';

export const allCommands: Commands = { ...contactCommands, ...operatorCommands };
