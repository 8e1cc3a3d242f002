package main

import "sync"

// stock are things that were signed beforehand: what signs beside a server takes its
// processors away.
type stock struct {
	sign func() (string, error)

	mu   sync.Mutex
	left []string
}

func (s *stock) fill(n int) error {
	s.left = nil
	for range n {
		one, err := s.sign()
		if err != nil {
			return err
		}
		s.left = append(s.left, one)
	}
	return nil
}

func (s *stock) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.left[0]
	s.left = s.left[1:]
	return one
}
