// What a spreadsheet does to phone numbers when it takes them for numbers, as a reason that says what to do. They are not
// restored: which country a number belongs to would be a guess, and a wrong one reaches a stranger.
import { limits } from '@roster/contract/limits';

const scientific = /^\d(?:[.,]\d+)?e\+?\d+$/i;
const withoutPlus = /^\(?\d[\d\s.()[\]\p{Pd}]*$/u;

/** Why a WhatsApp number is not in international format. Undefined when a spreadsheet is not the likely cause. */
export function spreadsheetFault(number: unknown): string | undefined {
  if (typeof number !== 'string') return undefined;
  if (scientific.test(number)) {
    return 'is in scientific notation, which loses digits; format the column as text and export the file again';
  }
  const digits = number.replaceAll(/\D/g, '').length;
  if (!withoutPlus.test(number) || digits < limits.whatsappDigitsMin) return undefined;
  return 'must begin with + and the country code, like +15550100123; spreadsheets drop the + unless the column is formatted as text';
}
