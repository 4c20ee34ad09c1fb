// Invented contacts for screenshots: names from many languages.
import type { ContactCreate } from '@roster/contract';

const names = `Anna Kowalczyk, José Núñez, Mei-Ling Zhou, Oluwaseun Adeyemi, Freya Sørensen, Rajesh Iyer, Chloé Marchand, Yuki Tanaka,
  Dimitris Papadopoulos, Amara Diallo, Łukasz Wiśniewski, Siobhán O’Reilly, Mateo Fernández, Hannah Schröder, Aisha Rahman, Björn Ekström,
  Priya Nair, Tomasz Zieliński, Annabel Hughes, Kwame Mensah, Ilse van der Berg, Noor Haddad, Elif Yıldız, Marek Novotný, Grace Thompson,
  Ravi Deshmukh, Sofia Rossi, Ahmed El-Sayed, Lucía Ortega, Jonas Weber, Johanna Lind`;

export const sampleContacts: ContactCreate[] = names.split(/,\s+/).map((name, at) => ({
  name,
  email: `${name
    .normalize('NFKD')
    .replaceAll(/[^a-z]/gi, '')
    .toLowerCase()}@example.com`,
  phone: at % 3 === 0 ? '' : `+44 20 7946 ${String(100 + at * 7).padStart(4, '0')}`,
  wid: at % 4 === 0 ? `+4479460${String(10_000 + at * 137)}` : '',
  mid: '',
}));
