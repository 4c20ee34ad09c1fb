<?php
// Receives webhooks of Roster, verifies them, and keeps a copy of the contacts in SQLite, which stands for your database.
// PHP 8.0 or later with its SQLite extension (Debian: php-sqlite3). For development, with PHP's own server:
// WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:8000 receiver.php
declare(strict_types=1);

const MAX_BYTES = 1024 * 1024;

// Until all is done: PHP would respond with 200 to an error that it displays,
// and the message would be lost.
http_response_code(500);

$key = base64_decode(substr((string) getenv('WEBHOOK_SECRET'), strlen('whsec_')), true);
if ($key === false || $key === '') {
    exit('WEBHOOK_SECRET is missing');
}

function isSigned(string $key, string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

function handle(string $webhookId, object $event, ?object $contact): void
{
    $db = new PDO('sqlite:' . __DIR__ . '/copy.db');
    $db->exec('CREATE TABLE IF NOT EXISTS handled (webhook_id TEXT PRIMARY KEY)');
    $db->exec('CREATE TABLE IF NOT EXISTS contacts (id TEXT PRIMARY KEY, version TEXT, contact TEXT)');
    // A late message must not replace a newer contact, nor bring back a deleted one.
    $store = $db->prepare('
        INSERT INTO contacts VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, contact = excluded.contact
        WHERE excluded.version >= contacts.version
    ');
    $remember = $db->prepare('INSERT OR IGNORE INTO handled VALUES (?)');
    $db->beginTransaction();
    $remember->execute([$webhookId]);
    if ($remember->rowCount() === 1) {
        if ($contact !== null) {
            $store->execute([$contact->id, $contact->updatedAt, json_encode($contact, JSON_THROW_ON_ERROR)]);
        } elseif ($event->contactId !== null) {
            // As text, this version is later than any time.
            $store->execute([$event->contactId, 'deleted', null]);
        }
    }
    $db->commit();
}

$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signatures = $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '';
$body = file_get_contents('php://input', length: MAX_BYTES + 1);
if (strlen($body) > MAX_BYTES) {
    http_response_code(413);
    exit;
}
if (!isSigned($key, $id, $timestamp, $signatures, $body)) {
    http_response_code(400);
    exit;
}
$data = json_decode($body, flags: JSON_THROW_ON_ERROR)->data;
handle($id, $data->event, $data->contact);
http_response_code(204);
