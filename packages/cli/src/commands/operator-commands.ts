// The operator's commands, in the order in which the help lists them. They need the server's package: its data, its
// settings, and the service itself.
import type { Commands } from '../program.ts';

export const operatorCommands: Commands = {
  setup: async (program) => (await import('./setup.ts')).addSetup(program),
  org: async (program) => (await import('./org.ts')).addOrgCommands(program),
  bot: async (program) => (await import('./bot.ts')).addBotCommands(program),
  secret: async (program) => (await import('./secret.ts')).addSecretCommands(program),
  member: async (program) => (await import('./member.ts')).addMemberCommands(program),
  serve: async (program) => (await import('./serve.ts')).addServe(program),
  migrate: async (program) => (await import('./migrate.ts')).addMigrate(program),
  move: async (program) => (await import('./move.ts')).addMove(program),
  backup: async (program) => (await import('./backup.ts')).addBackup(program),
  restore: async (program) => (await import('./restore.ts')).addRestore(program),
  purge: async (program) => (await import('./purge.ts')).addPurge(program),
  health: async (program) => (await import('./health.ts')).addHealth(program),
  doctor: async (program) => (await import('./doctor.ts')).addDoctor(program),
};
