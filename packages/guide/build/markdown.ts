// Markdown as GitHub reads it: tables, and headings with the anchors that GitHub gives them, so that a link works in the
// repository and in the guide.
import GithubSlugger from 'github-slugger';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import sql from 'highlight.js/lib/languages/sql';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import MarkdownIt, { type Token } from 'markdown-it';

const languages = { bash, http, ini, javascript, json, sql, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

export interface Heading {
  level: number;
  anchor: string;
  text: string;
}

/** What lies between a heading and the next one, as plain text. */
export interface Section extends Heading {
  content: string;
}

export interface Picture {
  address: string;
  width?: number;
  height?: number;
}

/** Where the addresses in a file lead to on the site. Undefined: nowhere, so that only the words remain. */
export interface Addresses {
  link(address: string): string | undefined;
  picture(address: string): Picture;
}

export interface Document {
  sections: Section[];
  /** Addresses of links and pictures, as they are written. */
  links: string[];
  pictures: string[];
  toHtml(addresses: Addresses): string;
}

const parser = new MarkdownIt({
  highlight: (code, language) =>
    hljs.getLanguage(language) === undefined ? '' : hljs.highlight(code, { language }).value,
});
// A wide table or picture must not make the whole page wider than a phone.
parser.renderer.rules['table_open'] = () => '<div class="scroll"><table>';
parser.renderer.rules['table_close'] = () => '</table></div>';
// For the mouse: with a keyboard, the list of the page's sections does the same.
parser.renderer.rules['heading_close'] = (tokens, index) => {
  const { tag } = tokens[index] as Token;
  const anchor = tokens[index - 2]?.attrGet('id');
  const link = tag === 'h1' ? '' : ` <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
  return `${link}</${tag}>\n`;
};

export function parseMarkdown(text: string): Document {
  const tokens = parser.parse(text, {});
  const sections = nameHeadings(tokens);
  dropEmptyTableHeads(tokens);
  alignByClass(tokens);
  const inline = tokens.flatMap(({ children }) => children ?? []);
  const ofType = (type: string, attribute: string) =>
    inline.filter((token) => token.type === type).map((token) => addressIn(token, attribute));
  return {
    sections,
    links: ofType('link_open', 'href'),
    pictures: ofType('image', 'src'),
    toHtml(addresses) {
      for (const { children } of tokens) readdress(children ?? [], addresses);
      return parser.renderer.render(tokens, parser.options, {});
    },
  };
}

/** As it is written in the file, which the parser has encoded. */
function addressIn(token: Token, attribute: string): string {
  return decodeURI(String(token.attrGet(attribute) ?? ''));
}

/** Gives each heading its anchor. Returns what belongs to each. */
function nameHeadings(tokens: Token[]): Section[] {
  const slugger = new GithubSlugger();
  const sections: Section[] = [];
  const contents: string[][] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = textOf(tokens[index + 1]);
      const anchor = slugger.slug(text);
      token.attrSet('id', anchor);
      sections.push({ level: Number(token.tag.slice(1)), anchor, text, content: '' });
      contents.push([]);
    } else if (tokens[index - 1]?.type !== 'heading_open') {
      contents.at(-1)?.push(textOf(token));
    }
  }
  return sections.map((section, index) => {
    const content = (contents[index] ?? []).filter((text) => text !== '').join(' ');
    return { ...section, content: content.replaceAll(/\s+/g, ' ').trim() };
  });
}

function textOf(token: Token | undefined): string {
  if (token?.type === 'fence' || token?.type === 'code_block') return token.content;
  const parts = (token?.children ?? []).map(({ type, content }) => (/break$/.test(type) ? ' ' : content));
  return parts.join('');
}

/** Markdown has no table without a head, and no head without all its cells. Empty ones are no headings. */
function dropEmptyTableHeads(tokens: Token[]): void {
  for (const [start, { type }] of tokens.entries()) {
    if (type !== 'thead_open') continue;
    const end = tokens.findIndex((token, index) => index > start && token.type === 'thead_close');
    const head = tokens.slice(start, end + 1);
    const isEmpty = head.every(({ content }) => content === '');
    for (const [index, token] of head.entries()) {
      if (isEmpty) token.hidden = true;
      else if (token.type === 'inline' && token.content === '') {
        for (const cell of [head[index - 1], head[index + 1]]) if (cell !== undefined) cell.tag = 'td';
      }
    }
  }
}

/** The parser writes inline styles, which the guide's content security policy forbids. */
function alignByClass(tokens: Token[]): void {
  for (const token of tokens) {
    const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
    if (alignment === undefined) continue;
    token.attrs = null;
    token.attrSet('class', alignment);
  }
}

function readdress(tokens: Token[], { link, picture }: Addresses): void {
  let isDropped = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const address = link(addressIn(token, 'href'));
      isDropped = address === undefined;
      if (address !== undefined) token.attrSet('href', address);
    }
    if (isDropped && /^link_/.test(token.type)) {
      token.type = 'text';
      token.content = '';
    }
    if (token.type === 'image') {
      const { address, width, height } = picture(addressIn(token, 'src'));
      token.attrSet('src', address);
      token.attrSet('loading', 'lazy');
      if (width !== undefined) token.attrSet('width', String(width));
      if (height !== undefined) token.attrSet('height', String(height));
    }
  }
}
