// Every number that a caller can run into. Validation, OpenAPI and the docs read them from here.

/** Lengths count Unicode code points after trimming, as JSON Schema's maxLength does. */
export const limits = {
  nameLength: 256,
  /** RFC 5321: a path is at most 256 octets, two of which are the angle brackets. */
  emailLength: 254,
  phoneLength: 64,
  messengerIdLength: 128,
  /** E.164 allows 15 digits; 7 is the shortest subscriber number in use with a country code. */
  whatsappDigitsMin: 7,
  whatsappDigitsMax: 15,
  /** As it is sent, with separators. Whatever is longer is not looked at. */
  whatsappLength: 256,
  attributeKeyLength: 40,
  attributeLabelLength: 128,
  attributeDescriptionLength: 512,
  /** Each request that names an attribute reads the definitions of all. */
  attributesPerBot: 100,
  attributeTextLength: 1024,
  /** Of all text values of a contact together: each is searched for. */
  attributeTextsLength: 8192,
  choicesPerAttribute: 100,
  choiceLength: 64,
  tagLength: 64,
  tagsPerContact: 50,
  tagsPerBot: 1000,
  /** Of one request or segment: each is a condition of the search. */
  filterValues: 50,
  segmentsPerBot: 50,
  segmentLabelLength: 128,
  segmentQueryLength: 1000,
  /** A greeting is a line or two in the widget's panel. */
  greetingLength: 500,
  /** Each page view carries all of them. */
  greetings: 50,
  /** More than these would not fit into the widget's panel. */
  channels: 8,
  channelLabelLength: 64,
  channelValueLength: 1024,
  /** Each request of a page is compared with all of them. */
  allowedOrigins: 100,
  /** Each request with the secret looks for its bot among them. */
  botsPerSecret: 1000,
  contactsPerUpsert: 1000,
  contactsPerDelete: 1000,
  pageSizeDefault: 10,
  pageSizeMax: 100,
  exportPageSizeMax: 1000,
  /** Page numbers in a pager's window. */
  pagerWindow: 10,
  /** Distinct words in one search; each is one more condition on every candidate row, which may be a whole bot. */
  searchWords: 32,
  /** NIST SP 800-63B: long, without rules about characters. The upper bound keeps hashing cheap. */
  passwordLengthMin: 12,
  passwordLengthMax: 256,
  /** How long ago a sign-in or a confirmed password may be for what could do most harm. */
  recentPasswordMs: 15 * 60_000,
  /** And for the later pages of an export, which takes its time. */
  recentPasswordOfPagesMs: 2 * 3_600_000,
  auditPageSizeMax: 200,
  auditPageSizeDefault: 50,
  tokenPageSizeMax: 1000,
  tokenPageSizeDefault: 100,
  eventPageSizeMax: 1000,
  eventPageSizeDefault: 100,
  /** With `include`: no more contacts than a page of a search has. */
  eventPageSizeWithContacts: 100,
  /** Proxies and load balancers mostly wait for an answer for a minute. */
  eventWaitSeconds: 30,
  /** Each event is sent to all of them. */
  webhooksPerBot: 20,
  webhookUrlLength: 2048,
  webhookDescriptionLength: 256,
  /** Characters of a receiver's response that a delivery keeps. */
  webhookResponseLength: 1024,
  /** Deliveries of a webhook before their first attempt. Further events stay in the feed. */
  pendingDeliveries: 1000,
  deliveryPageSizeMax: 200,
  deliveryPageSizeDefault: 50,
  /** How long events are kept, unless `ROSTER_EVENT_DAYS` says otherwise. */
  eventDays: 30,
  /** How long deliveries are kept. */
  deliveryDays: 30,
  /** How long the secret before a rotation still signs messages. */
  rotatedSecretMs: 86_400_000,
  contactTokenSecondsMin: 60,
  contactTokenSecondsMax: 365 * 86_400,
  /** Bytes of a body with contacts. A thousand full ones with every character escaped as \uXXXX\uXXXX take 8.6 MB. */
  bodyBytes: 10 * 1024 * 1024,
  /** Of one request. Whoever has so many has made the same mistake many times. */
  faultsReported: 100,
  /** In a body of more than 64 KB: values in one contact, or in one member of the body. A contact has some 250 at the most. */
  valuesPerItem: 10_000,
  /** Bytes of every other body. */
  accountBodyBytes: 256 * 1024,
  /** Bytes of a body that comes without a credential: an email, a password, a link. */
  anonymousBodyBytes: 16 * 1024,
} as const;
