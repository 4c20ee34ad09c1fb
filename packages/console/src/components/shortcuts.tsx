// The dialog that lists the keyboard's shortcuts: ?
import { Dialog } from './confirm.tsx';
import { isApple } from './keyboard.ts';
import classes from './shortcuts.module.css';

const groups: { title: string; shortcuts: [keys: string, meaning: string][] }[] = [
  {
    title: 'Everywhere',
    shortcuts: [
      [isApple ? '⌘ K' : 'Ctrl K', 'Go to a page, bot, segment or contact'],
      ['?', 'Show these shortcuts'],
    ],
  },
  {
    title: 'In a list of contacts',
    shortcuts: [
      ['/', 'Search'],
      ['J', 'Next contact'],
      ['K', 'Previous contact'],
      ['X', 'Select the contact'],
      ['Shift X', 'Select a range'],
      ['Space', 'Open the side panel'],
      ['Enter', 'Open its page'],
    ],
  },
  {
    title: 'In the side panel',
    shortcuts: [
      ['↓', 'Next contact'],
      ['↑', 'Previous contact'],
      ['Esc', 'Close'],
    ],
  },
];

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {groups.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3 className={classes.title}>{title}</h3>
          <dl className={classes.list}>
            {shortcuts.map(([keys, meaning]) => (
              <div key={keys}>
                <dt>{meaning}</dt>
                <dd>
                  {keys.split(' ').map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
