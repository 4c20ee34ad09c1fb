// Deletes a bot, after its name was typed to confirm.
import type { AccountBot } from '@roster/contract';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { Confirm } from '../components/confirm.tsx';
import { counted } from '../components/moment.tsx';
import { useNotify } from '../components/notices.tsx';
import { navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';

export function DeleteBot({ bot, onClose }: { bot: AccountBot; onClose: () => void }) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  return (
    <Confirm
      title={`Delete ${bot.name}?`}
      confirmLabel="Delete bot"
      typedName={bot.name}
      onClose={onClose}
      onConfirm={() => connection.call('deleteBot', { path: { botId: bot.id } })}
      onDone={() => {
        navigate('#/bots');
        queries.removeQueries({ queryKey: keys.contacts(bot.id) });
        queries.removeQueries({ queryKey: [...keys.bots, bot.id] });
        queries.invalidateQueries({ queryKey: keys.bots });
        notify(`${bot.name} was deleted.`);
      }}
    >
      <p>
        {bot.contactCount === null ? 'All its contacts' : counted(bot.contactCount, 'contact')} and all their tokens are
        deleted too, and the widget disappears from your pages.
      </p>
    </Confirm>
  );
}
