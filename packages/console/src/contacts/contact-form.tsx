// The form for a new contact: all that its page can change later.
import type { Attribute, ContactCreate } from '@roster/client';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { attributeField, type ContactField, changeOf, ownFields } from './contact-fields.ts';
import classes from './contact-form.module.css';
import { fieldError } from './field-error.tsx';
import { splitTags, TagField } from './tag-field.tsx';
import { ValueInput } from './value-input.tsx';
import { useContactWrites } from './whole-contact.ts';

interface ContactFormProps {
  botId: string;
  attributes: readonly Attribute[];
  onClose(): void;
}

/** Of the input of a tag that is not added yet. */
const typedTag = 'typed tag';

export function ContactForm({ botId, attributes, onClose }: ContactFormProps) {
  const { create } = useContactWrites(botId);
  const notify = useNotify();
  const fields = [...ownFields, ...attributes.map(attributeField)];
  const form = useForm(
    Object.fromEntries([...fields.map(({ name }) => name), 'tags', typedTag].map((name) => [name, ''])),
    (values) => create(newContact(fields, values)),
    ({ name }) => {
      notify(`${name} was created.`);
      onClose();
    },
    'new contact',
  );
  const tags = splitTags(form.values['tags'] ?? '');
  const setTags = (next: string[]) => form.set({ tags: next.join() });
  return (
    <Dialog title="New contact" onClose={onClose}>
      <Form form={form} label="Contact">
        <div className={classes.fields}>
          {fields.map(({ name, type, choices, label, description, placeholder, isRequired }) => (
            <ValueInput
              key={name}
              {...form.field(name)}
              error={fieldError(botId, form, name, true)}
              type={type}
              choices={choices}
              label={label}
              description={description}
              placeholder={placeholder}
              required={isRequired ?? false}
              data-autofocus={name === 'name' || undefined}
            />
          ))}
        </div>
        <TagField
          botId={botId}
          label="Tags"
          tags={tags}
          typed={form.values[typedTag] ?? ''}
          onType={(text) => form.set({ [typedTag]: text })}
          onAdd={(added) => {
            setTags([...new Set([...tags, ...added])]);
            form.set({ [typedTag]: '' });
          }}
          onRemove={(tag) => setTags(tags.filter((each) => each !== tag))}
          error={form.field('tags').error}
        />
        <FormButtons form={form} submitLabel="Create contact" onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function newContact(fields: readonly ContactField[], values: Record<string, string>): ContactCreate {
  const filled = fields.filter(({ name }) => values[name]);
  const changes = filled.map((field) => changeOf(field, values[field.name] ?? ''));
  const attributes = Object.assign({}, ...changes.map((change) => change.attributes));
  const tags = splitTags(`${values['tags']},${values[typedTag]}`);
  return { ...Object.assign({}, ...changes), attributes, tags };
}
