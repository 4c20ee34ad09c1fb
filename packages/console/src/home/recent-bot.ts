// The bot whose pages the member opened last, in this browser. The home page is about it until a visitor was recognized.
const storageName = 'roster bot';

export function rememberBot(botId: string): void {
  try {
    localStorage.setItem(storageName, botId);
  } catch {
    // The browser stores nothing for this site: the home page begins with the first bot.
  }
}

export function recentBot(): string | undefined {
  try {
    return localStorage.getItem(storageName) ?? undefined;
  } catch {
    return undefined;
  }
}
