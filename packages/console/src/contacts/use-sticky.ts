// Measures for what stays in view while the list is scrolled.
import { useCallback, useState } from 'react';

function observe(elements: readonly Element[], onChange: () => void): () => void {
  const observer = new ResizeObserver(onChange);
  for (const element of elements) observer.observe(element);
  return () => observer.disconnect();
}

/** A ref that keeps the element's height in a variable of the page, for what sticks below it. */
export function useHeightVariable(name: `--${string}`) {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const { style } = document.documentElement;
      const stop = observe([element], () => style.setProperty(name, `${element.offsetHeight}px`));
      return () => {
        stop();
        style.removeProperty(name);
      };
    },
    [name],
  );
}

/** A ref, and whether the table in the element is wider than it. What scrolls sideways cannot stick to the page. */
export function useIsTooWide() {
  const [isTooWide, setIsTooWide] = useState(false);
  const ref = useCallback((element: HTMLElement | null) => {
    const table = element?.querySelector('table');
    if (!element || !table) return;
    return observe([element, table], () => setIsTooWide(table.offsetWidth > element.clientWidth));
  }, []);
  return [ref, isTooWide] as const;
}
