// What a server does when a user signs in, in several languages: it saves them as a contact, and gets the token that their
// page gives to the widget. Each is a whole program that needs nothing but its language.

export interface ServerSnippet {
  language: string;
  code: string;
}

/** `address` is that of the bot in the API. */
export function serverSnippets(address: string): ServerSnippet[] {
  return [
    { language: 'curl', code: curl(address) },
    { language: 'Node.js', code: node(address) },
    { language: 'Python', code: python(address) },
    { language: 'PHP', code: php(address) },
    { language: 'Go', code: go(address) },
    { language: 'Ruby', code: ruby(address) },
  ];
}

const curl = (address: string) => `curl --fail-with-body -X PATCH ${address}/contacts \\
  -H "Authorization: Bearer $ROSTER_SECRET" -H "Content-Type: application/json" \\
  -d '{"data":[{"email":"jane@example.com","name":"Jane Doe"}]}'

curl --fail-with-body -X POST ${address}/auth/contacts \\
  -H "Authorization: Bearer $ROSTER_SECRET" \\
  -d email=jane@example.com`;

const node = (address: string) => `const bot = '${address}';

async function call(method, path, body) {
  const response = await fetch(bot + path, {
    method,
    headers: {
      authorization: \`Bearer \${process.env.ROSTER_SECRET}\`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()).data;
}

async function contactToken(email, name) {
  await call('PATCH', '/contacts', { data: [{ email, name }] });
  const { token } = await call('POST', '/auth/contacts', { email });
  return token;
}

console.log(await contactToken('jane@example.com', 'Jane Doe'));`;

const python = (address: string) => `import json, os
from urllib.request import Request, urlopen

BOT = "${address}"

def call(method, path, body):
    request = Request(
        BOT + path,
        json.dumps(body).encode(),
        {
            "Authorization": "Bearer " + os.environ["ROSTER_SECRET"],
            "Content-Type": "application/json",
        },
        method=method,
    )
    with urlopen(request, timeout=10) as response:
        return json.load(response)["data"]

def contact_token(email, name):
    call("PATCH", "/contacts", {"data": [{"email": email, "name": name}]})
    return call("POST", "/auth/contacts", {"email": email})["token"]

print(contact_token("jane@example.com", "Jane Doe"))`;

const php = (address: string) => `<?php
const BOT = '${address}';

function call(string $method, string $path, array $body): array {
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => [
            'Authorization: Bearer ' . getenv('ROSTER_SECRET'),
            'Content-Type: application/json',
        ],
        'content' => json_encode($body, JSON_THROW_ON_ERROR),
        'timeout' => 10,
    ]]);
    $response = file_get_contents(BOT . $path, false, $context);
    if ($response === false) throw new RuntimeException("$method $path failed");
    return json_decode($response, true, flags: JSON_THROW_ON_ERROR)['data'];
}

function contactToken(string $email, string $name): string {
    call('PATCH', '/contacts', ['data' => [['email' => $email, 'name' => $name]]]);
    return call('POST', '/auth/contacts', ['email' => $email])['token'];
}

echo contactToken('jane@example.com', 'Jane Doe'), "\\n";`;

const go = (address: string) => `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

const bot = "${address}"

func call(method, path string, body, result any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, bot+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ROSTER_SECRET"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(result)
}

func contactToken(email, name string) (string, error) {
	contact := map[string]string{"email": email, "name": name}
	upsert := map[string]any{"data": []any{contact}}
	if err := call("PATCH", "/contacts", upsert, &struct{}{}); err != nil {
		return "", err
	}
	var answer struct{ Data struct{ Token string } }
	err := call("POST", "/auth/contacts", map[string]string{"email": email}, &answer)
	return answer.Data.Token, err
}

func main() {
	token, err := contactToken("jane@example.com", "Jane Doe")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token)
}`;

const ruby = (address: string) => `require 'json'
require 'net/http'

BOT = '${address}'

def call(method, path, body)
  uri = URI(BOT + path)
  headers = {
    'Authorization' => "Bearer #{ENV.fetch('ROSTER_SECRET')}",
    'Content-Type' => 'application/json'
  }
  response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == 'https') do |http|
    http.send_request(method, uri.path, JSON.generate(body), headers)
  end
  raise response.body unless response.is_a?(Net::HTTPSuccess)
  JSON.parse(response.body)['data']
end

def contact_token(email, name)
  call('PATCH', '/contacts', data: [{ email: email, name: name }])
  call('POST', '/auth/contacts', email: email)['token']
end

puts contact_token('jane@example.com', 'Jane Doe')`;
