// The titles of columns in common files, in several languages, in order of preference: the first that a file has wins.

export type NameKind = 'whole' | 'first' | 'last' | 'either';

/** Titles that differ in case, accents, spaces or punctuation only are equal. */
export function fold(header: string): string {
  return header
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

const words = (text: string): string[] => text.trim().split(/\s+/).map(fold);

export const spellings = {
  email: words(`
    email emailaddress mail mailaddress emailid emails email1 email1value emailprimary primaryemail personalemail
    contactemail useremail customeremail workemail businessemail
    emailadresse mailadresse elektronischepost emailadres adresseemail adressemail adressedemessagerie courriel mel
    correo correoelectronico direcciondecorreo direcciondecorreoelectronico emailaddresses endereçodeemail
    correioeletronico indirizzoemail indirizzodipostaelettronica postaelettronica epost epostadresse epostadress
    sahkoposti sahkopostiosoite eposta epostaadresi adresemail adrespocztyelektronicznej emailova adresa emailcim
    почта эл.почта электроннаяпочта адресэлектроннойпочты имейл поща електроннапошта
    メール メールアドレス eメール 电子邮件 电子邮箱 邮箱 邮件 電子郵件 電郵 信箱 이메일 이메일주소 메일
    البريدالإلكتروني البريدالالكتروني ईमेल אימייל דואראלקטרוני ηλεκτρονικόταχυδρομείο อีเมล thưđiệntử
  `),
  emailEndings: words('email emailaddress'),
  whole: words(`
    fullname displayname contactname customername wholename nameofcontact completename
    vollständigername vornameundnachname vorundnachname nomcomplet nometprénom prénometnom nombrecompleto
    nombreyapellidos nombreyapellido nomecompleto nomeecognome volledigenaam fuldenavn fulltnavn fullständigtnamn
    kokonimi imięinazwisko celéjméno adsoyad adısoyadı teljesnév фио полноеимя имяифамилия
    氏名 お名前 名前 姓名 全名 성명 이름 الاسمالكامل الاسم नाम שם ชื่อ họvàtên họtên ονοματεπώνυμο
  `),
  first: words(`
    firstname first givenname givennames forename vorname rufname prénom primernombre nombredepila primeironome
    prenome voornaam fornavn förnamn etunimi imię křestníjméno keresztnév ad adı
  `),
  last: words(`
    lastname last surname familyname nachname familienname nomdefamille apellido apellidos primerapellido cognome
    sobrenome apelido achternaam efternavn etternavn efternamn sukunimi nazwisko příjmení vezetéknév soyad soyadı
    фамилия прізвище επώνυμο
  `),
  either: words(`
    name contact customer nom nombre nome naam navn namn nimi jméno isim név имя име ім'я όνομα
  `),
  phone: words(`
    phone phonenumber phoneno phone1 phone1value mobile mobilephone mobilenumber mobileno cell cellphone cellnumber
    tel telephone telephonenumber telno contactnumber primaryphone homephone workphone businessphone
    telefon telefonnummer rufnummer handy handynummer mobil mobilnummer mobiltelefon mobilfunknummer
    téléphone numérodetéléphone portable téléphoneportable mobiles gsm teléfono númerodeteléfono móvil teléfonomóvil
    celular telefone telemóvel númerodetelefone cellulare numeroditelefono telefono telefoon telefoonnummer
    mobielnummer telefonnr mobilnr puhelin puhelinnumero matkapuhelin numertelefonu telefonkomórkowy telefonníčíslo
    телефон мобильный мобильныйтелефон номертелефона 電話 電話番号 携帯電話 携帯 电话 电话号码 手机 手机号 手机号码
    電話號碼 手機 전화 전화번호 휴대폰 휴대전화 الهاتف رقمالهاتف الجوال फ़ोन טלפון τηλέφωνο โทรศัพท์ sốđiệnthoại điệnthoại
  `),
  wid: words('wid whatsapp whatsappid whatsappnumber whatsappno whatsappphone waid wanumber whatsappnummer'),
  tags: words('tags tag tagnames'),
  mid: words('mid messenger messengerid facebookmessenger facebookmessengerid messengerpsid psid facebookid fbid'),
};
