// A bot and the credential that a measured request carries.

/** What a caller has of a bot. */
export interface Access {
  botId: string;
  secret: string;
}
