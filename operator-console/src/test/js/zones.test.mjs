import { afterEach, test } from 'node:test';
import assert from 'node:assert/strict';

globalThis.localStorage = { getItem: () => null };
const { clockAmong, isOfOneZone, local, zoned, zoneName, zonesOf } = await import('./lib/format.js');
const { fieldOf, instantOf } = await import('./lib/fields.js');

const USUAL = process.env.TZ;

afterEach(() => {
  process.env.TZ = USUAL;
});

/** What a reader there sees. */
const inZone = (zone) => { process.env.TZ = zone; };

const HOURS = ['2026-10-24T22:30:00Z', '2026-10-24T23:30:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z'].map(Date.parse);

test('the hour that comes twice is told apart in charts and their tables', () => {
  inZone('Europe/Berlin');
  const told = HOURS.map((_hour, place) => clockAmong(HOURS, place, false));
  assert.equal(new Set(told).size, HOURS.length, told.join(', '));
  assert.match(told[2], /^02:30 (GMT[+]2|CEST)$/);
  assert.match(told[3], /^02:30 (GMT[+]1|CET)$/);
  assert.equal(isOfOneZone(HOURS, false), false);
  assert.equal(clockAmong(HOURS, 2, true), '00:30');
  assert.match(zonesOf(HOURS[0], HOURS[4], false), /^(GMT[+]2, then GMT[+]1|CEST, then CET)$/);
  assert.deepEqual([zonesOf(HOURS[0], HOURS[4], true), zonesOf(HOURS[3], HOURS[4], false)], ['UTC', zoneName(HOURS[3], false)]);
  assert.equal(isOfOneZone(HOURS, true), true);
  assert.deepEqual([0, 1].map((place) => clockAmong(HOURS.slice(0, 2), place, false)), ['00:30', '01:30']);
});

test('a range that begins or ends in the hour that comes twice leaves out nothing of it', () => {
  for (const [zone, said, first, second] of [
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['America/St_Johns', '2026-11-01T01:15', '2026-11-01T03:45:00.000Z', '2026-11-01T04:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z'],
    ['Africa/Cairo', '2026-10-29T23:10:05', '2026-10-29T20:10:05.000Z', '2026-10-29T21:10:05.000Z'],
  ]) {
    inZone(zone);
    assert.equal(instantOf(said, undefined, false, false), first, zone);
    assert.equal(instantOf(said, undefined, false, true), second, zone);
  }
});

test('times of the day that come once, or never, are one instant', () => {
  for (const [zone, said, instant] of [
    ['Europe/Berlin', '2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T01:59:59', '2026-10-24T23:59:59.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
    ['Asia/Kathmandu', '2026-10-25T02:30:00', '2026-10-24T20:45:00.000Z'],
    ['Pacific/Kiritimati', '2026-10-25T02:30:00', '2026-10-24T12:30:00.000Z'],
    ['Etc/GMT+12', '2026-10-25T02:30:00', '2026-10-25T14:30:00.000Z'],
  ]) {
    inZone(zone);
    assert.equal(instantOf(said, undefined, false, false), instant, zone);
    assert.equal(instantOf(said, undefined, false, true), instant, zone);
  }
  inZone('Europe/Berlin');
  assert.equal(instantOf('2026-10-25T02:30:00', undefined, true, true), '2026-10-25T02:30:00.000Z');
});

test('what an address says is not changed by a field that was not touched, in whichever zone', () => {
  for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Etc/GMT+12']) {
    inZone(zone);
    for (const instant of ['2026-10-25T00:30:00.123Z', '2026-10-25T01:30:00Z', '2026-04-04T15:15:00Z']) {
      assert.equal(instantOf(fieldOf(instant, false), instant, false, false), instant);
      assert.equal(instantOf(fieldOf(instant, false), instant, false, true), instant);
    }
  }
  assert.equal(instantOf('', '2026-10-25T01:30:00Z', false, true), undefined);
  assert.equal(fieldOf(undefined, false), '');
});

test('the fires of a schedule are told in its zone and in that of a reader at the other end of the day', () => {
  const fires = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'];
  inZone('Pacific/Kiritimati');
  assert.deepEqual(fires.map((fire) => zoned(fire)), ['Sun 2026-10-25 14:30:00 GMT+14', 'Sun 2026-10-25 15:30:00 GMT+14']);
  assert.equal(new Set(fires.map((fire) => zoned(fire, 'Europe/Berlin'))).size, 2);
  assert.equal(zoned(fires[0], '+05:45'), 'Sun 2026-10-25 06:15:00 GMT+5:45');
  assert.equal(zoned(fires[0], 'UTC-02:00'), 'Sat 2026-10-24 22:30:00 GMT-2');
  assert.equal(zoned(fires[0], 'UTC'), 'Sun 2026-10-25 00:30:00 UTC');
  assert.match(local(fires[0]), /^2026-10-25 14:30:00[.]000 GMT[+]14$/);
  inZone('Etc/GMT+12');
  assert.equal(zoneName(Date.parse(fires[0]), false), 'GMT-12');
});
