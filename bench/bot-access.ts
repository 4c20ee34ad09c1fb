/** A bot, and the secret of its organization. */
export interface BotAccess {
  botId: string;
  secret: string;
}
