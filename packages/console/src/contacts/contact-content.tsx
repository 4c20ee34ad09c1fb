// A contact, below its name: everything that can be edited where it is shown, what happened, and the tokens. Two columns where
// there is room for them, which is not a matter of the window: a panel beside the list shows it too.
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { attributesQuery } from '../api/queries.ts';
import { CopyIcon } from '../components/copy.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Panel } from '../components/page.tsx';
import { Timeline } from '../events/timeline.tsx';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './contact-content.module.css';
import { attributeField, type ContactField, ownFields } from './contact-fields.ts';
import { ContactTags } from './contact-tags.tsx';
import { ContactTokens } from './contact-tokens.tsx';
import { FieldRow } from './field-row.tsx';
import type { WholeContact } from './whole-contact.ts';

interface ContentProps {
  botId: string;
  contact: WholeContact;
}

export function ContactContent({ botId, contact }: ContentProps) {
  return (
    <div className={classes.frame}>
      <div className={classes.columns}>
        <div className={classes.edited}>
          <Panel title="Details">
            <dl className={classes.fields}>
              <Fields botId={botId} contact={contact} fields={ownFields} />
            </dl>
            <p className={classes.id}>
              <code>{contact.id}</code>
              <CopyIcon text={contact.id} label="Copy ID" />
            </p>
          </Panel>
          <ContactAttributes botId={botId} contact={contact} />
          <Panel title="Tags">
            <ContactTags botId={botId} contact={contact} />
          </Panel>
        </div>
        <div className={classes.happened}>
          <Timeline botId={botId} contact={contact} />
        </div>
        <div className={classes.tokens}>
          <ContactTokens botId={botId} contact={contact} />
        </div>
      </div>
    </div>
  );
}

function Fields({ fields, ...props }: ContentProps & { fields: readonly ContactField[] }) {
  return fields.map((field) => <FieldRow key={field.name} {...props} field={field} />);
}

function ContactAttributes({ botId, contact }: ContentProps) {
  const { connection, canWrite } = useSignedIn();
  const attributes = useQuery(attributesQuery(connection, botId));
  return (
    <Panel title="Attributes">
      <Loaded query={attributes} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p className={classes.none}>
              This bot has no attributes.{' '}
              {canWrite && <Anchor href={linkTo(['bots', botId, 'attributes'])}>Add your first attribute</Anchor>}
            </p>
          ) : (
            <dl className={classes.fields}>
              <Fields botId={botId} contact={contact} fields={all.map(attributeField)} />
            </dl>
          )
        }
      </Loaded>
    </Panel>
  );
}
