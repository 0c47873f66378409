// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"container/list"
	"crypto/rand"
	"sync"
)

// The elements of all answers that are remembered.
const mostRemembered = 4_000_000

// A memory has the answers that were used last, by their cookies.
type memory struct {
	most int

	lock     sync.Mutex
	known    map[string]*list.Element
	recent   list.List
	elements uint64
}

type remembered struct {
	cookie string
	answer *answer
}

// add remembers an answer and returns its cookie; none = it is not remembered.
func (m *memory) add(answer *answer) []byte {
	if m.most <= 0 || answer.count > mostRemembered {
		return nil
	}
	cookie := make([]byte, 16)
	if _, err := rand.Read(cookie); err != nil {
		return nil
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.known == nil {
		m.known = map[string]*list.Element{}
	}
	m.known[string(cookie)] = m.recent.PushFront(&remembered{string(cookie), answer})
	m.elements += answer.count
	for m.recent.Len() > m.most || m.elements > mostRemembered {
		oldest := m.recent.Remove(m.recent.Back()).(*remembered)
		delete(m.known, oldest.cookie)
		m.elements -= oldest.answer.count
	}
	return cookie
}

// get returns what a layout answered with a cookie; nil = it is not remembered any more.
func (m *memory) get(cookie []byte, layout string) *answer {
	m.lock.Lock()
	defer m.lock.Unlock()
	found, isKnown := m.known[string(cookie)]
	if !isKnown || found.Value.(*remembered).answer.layout != layout {
		return nil
	}
	m.recent.MoveToFront(found)
	return found.Value.(*remembered).answer
}
