// A bot may have any colour, and text on it must be readable: WCAG 2 requires a contrast of at least 4.5 to 1.

/** The background colour, and the colour of text on it. */
export interface Colors {
  paint: string;
  text: '#fff' | '#000';
}

const readable = 4.5;
/**
 * Below this contrast, white text would need a much darker background than the bot's colour. Black is readable there.
 */
const nearlyReadable = 3;

/** White text where it is readable or nearly so, on a background just dark enough for it; otherwise black text. */
export function colorsOf(color: string): Colors {
  let channels = [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  if (contrastToWhite(channels) < nearlyReadable) return { paint: color, text: '#000' };
  while (contrastToWhite(channels) < readable) channels = channels.map((channel) => Math.floor(channel * 0.99));
  return { paint: `rgb(${channels.join()})`, text: '#fff' };
}

function contrastToWhite(channels: readonly number[]): number {
  // WCAG 2, relative luminance.
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
