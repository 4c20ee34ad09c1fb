// Organizations: list, create, rename.
import type { Command } from 'commander';
import { examples, outputOf } from '../context.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { time } from '../terminal/locale.ts';

export function addOrgCommands(program: Command): void {
  const org = program.command('org').description('manage organizations, which own bots and secrets');

  org
    .command('list')
    .description('list all organizations')
    .action(async (_: unknown, command: Command) => {
      const organizations = await withOperator(command, (operator) => operator.listOrganizations());
      const output = outputOf(command);
      if (output.isJson) output.json(organizations);
      else {
        await output.table(
          [{ title: 'id', isWhole: true }, { title: 'name' }, { title: 'created' }],
          organizations.map(({ id, name, createdAt }) => [id, name, time(createdAt)]),
        );
      }
    });

  org
    .command('create')
    .description('create an organization without bots and secrets')
    .argument('<name>')
    .addHelpText('after', examples('roster org create "Acme Ltd"'))
    .action(async (name: string, _: unknown, command: Command) => {
      const organization = await withOperator(command, (operator) => operator.createOrganization(name));
      const output = outputOf(command);
      if (output.isJson) output.json(organization);
      else output.print(`Created ${organization.id} (${organization.name}).`);
    });

  org
    .command('rename')
    .description('rename an organization')
    .argument('<organization>', 'id or name of the organization')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('roster org rename "My organization" "Acme Ltd"'))
    .action(async (given: string, name: string, _: unknown, command: Command) => {
      const renamed = await withOperator(command, async (operator) => {
        const { id } = pick('organization', await operator.listOrganizations(), given, 'Pass one of these');
        await operator.renameOrganization(id, name);
        return pick('organization', await operator.listOrganizations(), id, 'Pass one of these');
      });
      const output = outputOf(command);
      if (output.isJson) output.json(renamed);
      else output.print(`Renamed ${renamed.id} to ${renamed.name}.`);
    });
}
