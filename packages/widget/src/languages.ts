// The panel's own texts, and which language a visitor reads: that of the page, else that of their browser.

/** In the order of the rows below. `{}` is the visitor's name. */
interface Texts {
  hello: string;
  helloName: string;
  guest: string;
  signedIn: string;
  signedOut: string;
  close: string;
  channels: string;
  email: string;
  phone: string;
}

// By language, or by language and script where a language is written in two. Strings with a separator are a third smaller
// than objects, also when compressed.
const rows: Record<string, string> = {
  en: 'Hello!|Hello, {}!|Guest|You are signed in|You are not signed in|Close|Contact us|Email|Phone',
  ar: 'مرحبًا!|مرحبًا {}!|زائر|تم تسجيل دخولك|لم يتم تسجيل دخولك|إغلاق|تواصل معنا|البريد الإلكتروني|الهاتف',
  de: 'Hallo!|Hallo, {}!|Gast|Sie sind angemeldet|Sie sind nicht angemeldet|Schließen|Kontakt|E-Mail|Telefon',
  es: '¡Hola!|¡Hola, {}!|Visitante|Has iniciado sesión|No has iniciado sesión|Cerrar|Contacto|Correo electrónico|Teléfono',
  fa: 'سلام!|سلام {}!|مهمان|وارد شده‌اید|وارد نشده‌اید|بستن|تماس با ما|ایمیل|تلفن',
  fr: 'Bonjour\u00a0!|Bonjour {}\u00a0!|Visiteur|Vous êtes connecté|Vous n’êtes pas connecté|Fermer|Nous contacter|E-mail|Téléphone',
  he: 'שלום!|שלום {}!|אורח|נכנסת לחשבון|לא נכנסת לחשבון|סגירה|יצירת קשר|דוא״ל|טלפון',
  hi: 'नमस्ते!|नमस्ते, {}!|अतिथि|आप साइन इन हैं|आप साइन इन नहीं हैं|बंद करें|संपर्क करें|ईमेल|फ़ोन',
  it: 'Ciao!|Ciao, {}!|Ospite|Hai effettuato l’accesso|Non hai effettuato l’accesso|Chiudi|Contatti|Email|Telefono',
  ja: 'こんにちは！|{}さん、こんにちは！|ゲスト|ログインしています|ログインしていません|閉じる|お問い合わせ|メール|電話',
  ko: '안녕하세요!|{}님, 안녕하세요!|게스트|로그인했습니다|로그인하지 않았습니다|닫기|문의하기|이메일|전화',
  nl: 'Hallo!|Hallo {}!|Gast|Je bent ingelogd|Je bent niet ingelogd|Sluiten|Contact|E-mail|Telefoon',
  pl: 'Dzień dobry!|Dzień dobry, {}!|Gość|Zalogowano|Nie zalogowano|Zamknij|Kontakt|E-mail|Telefon',
  pt: 'Olá!|Olá, {}!|Visitante|Sessão iniciada|Sessão não iniciada|Fechar|Contato|E-mail|Telefone',
  ru: 'Здравствуйте!|Здравствуйте, {}!|Гость|Вы вошли в систему|Вы не вошли в систему|Закрыть|Контакты|Эл. почта|Телефон',
  tr: 'Merhaba!|Merhaba {}!|Misafir|Oturum açtınız|Oturum açmadınız|Kapat|İletişim|E-posta|Telefon',
  uk: 'Вітаємо!|Вітаємо, {}!|Гість|Ви ввійшли в систему|Ви не ввійшли в систему|Закрити|Контакти|Ел. пошта|Телефон',
  zh: '您好！|{}，您好！|访客|您已登录|您尚未登录|关闭|联系我们|电子邮件|电话',
  'zh-Hant': '您好！|{}，您好！|訪客|您已登入|您尚未登入|關閉|聯絡我們|電子郵件|電話',
};

const rightToLeft = ['ar', 'fa', 'he'];

export interface Language extends Texts {
  /** What the visitor reads, also where there are no texts for it. */
  tag: string;
  /** Of the texts. */
  lang: string;
  dir: 'ltr' | 'rtl';
}

export function languageOfPage(): Language {
  const tag = canonical(document.documentElement.lang) ?? canonical(navigator.language) ?? 'en';
  const primary = primaryOf(tag);
  // The script that a region writes: zh-TW and zh-HK are zh-Hant.
  const written = `${primary}-${new Intl.Locale(tag).maximize().script}`;
  const lang = [written, primary].find((known) => known in rows) ?? 'en';
  const [hello, helloName, guest, signedIn, signedOut, close, channels, email, phone] = (rows[lang] as string).split(
    '|',
  ) as [string, string, string, string, string, string, string, string, string];
  const dir = rightToLeft.includes(lang) ? 'rtl' : 'ltr';
  return { tag, lang, dir, hello, helloName, guest, signedIn, signedOut, close, channels, email, phone };
}

/** The greeting of the exact tag, else of its primary subtag. The keys are canonical tags. */
export function greetingIn(tag: string, greetings: Record<string, string> = {}): string | undefined {
  return greetings[tag] ?? greetings[primaryOf(tag)];
}

function primaryOf(tag: string): string {
  return tag.replace(/-.*/, '');
}

/** `pt_br`, which is common but wrong, is `pt-BR`; undefined for what is no tag. */
function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}
