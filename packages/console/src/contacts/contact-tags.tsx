// The tags of a contact, each of which is added and removed at once.
import { useMutation } from '@tanstack/react-query';
import { describeFailure } from '../api/failure.ts';
import { NoValue } from '../components/details.tsx';
import { FailureNote } from '../components/failure-note.tsx';
import { useKept } from '../kept-state.ts';
import { useSignedIn } from '../session.tsx';
import { useUnsaved } from '../unsaved.ts';
import { splitTags, TagField, TagList } from './tag-field.tsx';
import { useContactWrites, type WholeContact } from './whole-contact.ts';

export function ContactTags({ botId, contact: { id, tags } }: { botId: string; contact: WholeContact }) {
  const { canWrite } = useSignedIn();
  const { update } = useContactWrites(botId);
  const [typed, setTyped] = useKept('new tag', '');
  useUnsaved(typed.trim() !== '');
  const mutation = useMutation({
    mutationFn: (change: { addTags: string[] } | { removeTags: string[] }) => update(id, change),
    onSuccess: (_, change) => {
      // Unless something else is typed by now.
      if ('addTags' in change) setTyped((now) => (`${splitTags(now)}` === `${change.addTags}` ? '' : now));
    },
  });
  if (!canWrite) return tags.length === 0 ? <NoValue /> : <TagList tags={tags} />;
  const faults = mutation.error === null ? [] : Object.values(describeFailure(mutation.error).fields);
  return (
    <>
      <TagField
        botId={botId}
        tags={tags}
        typed={typed}
        onType={setTyped}
        onAdd={(addTags) => mutation.mutate({ addTags })}
        onRemove={(tag) => mutation.mutate({ removeTags: [tag] })}
        onCancel={() => {
          setTyped('');
          mutation.reset();
        }}
        error={faults.join(' ') || undefined}
        isPending={mutation.isPending}
      />
      {mutation.error !== null && faults.length === 0 && <FailureNote error={mutation.error} />}
    </>
  );
}
